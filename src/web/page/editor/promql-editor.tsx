import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { CodeEditor } from './code-editor.ts'

type Props = {
  value: string
  /** With each change. */
  onChange: (value: string) => void
  /** Whose metrics and labels complete what is typed; null: only functions do. */
  sourceId: number | null
  /** Names the field for readers; a visible label is up to the page. */
  label: string
  /** What the server says against the query: marked where it names a place, and read out. The page shows it. */
  problems?: readonly { message: string }[]
  /** Ctrl (Cmd) and Enter. */
  onRun?: () => void
  minLines?: number
  isReadOnly?: boolean
  /** Stands in an empty field. */
  hint?: string
  /** Filled with what acts on the field, for as long as it is there. */
  control?: { current: EditorControl | null }
}

export type EditorControl = {
  /** Puts a text in place of the selection, and the focus into the field. */
  insert: (text: string) => void
  focus: () => void
}

const none: readonly { message: string }[] = []
const lineHeightPx = 20
const paddingPx = 16

/**
 * A field for PromQL: highlighted, completed from a source, and checked while it is typed. A plain field until the code of the
 * editor is loaded, and where it cannot be. Tab leaves it.
 */
export function PromqlEditor(props: Props) {
  const { value, onChange, sourceId, label, problems = none, onRun, minLines = 2, isReadOnly = false, control } = props
  const { hint = '' } = props
  const host = useRef<HTMLDivElement>(null)
  const plain = useRef<HTMLTextAreaElement>(null)
  const editor = useRef<CodeEditor | null>(null)
  const [isReady, setReady] = useState(false)
  const latest = useRef({ value, onChange, sourceId, label, problems, onRun, isReadOnly, hint })
  latest.current = { value, onChange, sourceId, label, problems, onRun, isReadOnly, hint }

  useEffect(() => {
    let isGone = false
    const open = async () => {
      const code = await import('./code-editor.ts').catch(() => null) // the plain field stays
      if (isGone || !code || !host.current) return
      const area = plain.current
      const caret = area && document.activeElement === area ? area.selectionEnd : null
      editor.current = code.openEditor(host.current, latest)
      setReady(true)
      if (caret !== null) requestAnimationFrame(() => editor.current?.focus(caret)) // once it is shown
    }
    void open()
    return () => {
      isGone = true
      editor.current?.destroy()
      editor.current = null
    }
  }, [])
  useLayoutEffect(() => editor.current?.update(), [value, sourceId, label, problems, isReadOnly, hint, isReady])
  useEffect(() => {
    if (!control) return
    control.current = {
      insert: (text) => (editor.current ? editor.current.insert(text) : insertPlainly(plain.current, text, onChange)),
      focus: () => (editor.current ? editor.current.focus() : plain.current?.focus()),
    }
    return () => void (control.current = null)
  }, [control, onChange])

  return (
    <div class="promql-editor" style={{ minHeight: `${minLines * lineHeightPx + paddingPx}px` }}>
      {!isReady && (
        <textarea
          ref={plain}
          class="input"
          aria-label={label}
          aria-invalid={problems.length > 0 || undefined}
          rows={Math.max(minLines, value.split('\n').length)}
          placeholder={hint}
          spellcheck={false}
          readOnly={isReadOnly}
          value={value}
          onInput={(event) => onChange(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || !onRun) return
            event.preventDefault()
            onRun()
          }}
        />
      )}
      <div ref={host} class="promql-editor-host" hidden={!isReady} />
    </div>
  )
}

function insertPlainly(area: HTMLTextAreaElement | null, text: string, onChange: (value: string) => void): void {
  if (!area) return
  area.setRangeText(text, area.selectionStart, area.selectionEnd, 'end')
  area.focus()
  onChange(area.value)
}
