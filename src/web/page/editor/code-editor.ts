import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  closeCompletion,
  type CompletionContext,
  completionKeymap,
  completionStatus,
} from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { bracketMatching } from '@codemirror/language'
import { forceLinting, linter } from '@codemirror/lint'
import { Annotation, Compartment, EditorState, type Extension, Prec } from '@codemirror/state'
import { drawSelection, EditorView, highlightSpecialChars, keymap, placeholder } from '@codemirror/view'
import { LanguageType, newCompleteStrategy, promQLLanguage } from '@prometheus-io/codemirror-promql'
import { diagnose, type QueryProblem } from './lint.ts'
import { sourceClient } from './source-client.ts'
import { editorTheme } from './theme.ts'
import { keepListReachable, typeOverSelection } from './quirks.ts'

/** Current properties of the editor. */
export type EditorProps = {
  value: string
  onChange: (value: string) => void
  /** Source whose metrics and labels are offered for completion; null: only functions are. */
  sourceId: number | null
  /** Accessible name of the field. */
  label: string
  problems: readonly QueryProblem[]
  onRun?: (() => void) | undefined
  isReadOnly: boolean
  hint: string
}

export type CodeEditor = {
  /** Applies changed properties. The cursor stays if the value is already the text of the editor. */
  update(): void
  /** Replaces the selection with a text. */
  insert(text: string): void
  focus(at?: number): void
  destroy(): void
}

/** Marks changes made by `update`, which are not passed to `onChange`. */
const fromOutside = Annotation.define<boolean>()
const lintDelayMs = 500
/** Types and help texts of metrics are not read if there are more metrics than this. */
const maxDescribed = 10_000
const maxCompletions = 60

/**
 * Opens an editor for PromQL in its own shadow root. The content security policy allows the editor's generated style only
 * there. `latest.current`: current properties; the caller calls `update` after it has changed them.
 */
export function openEditor(host: HTMLElement, latest: { current: EditorProps }): CodeEditor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' })
  const language = promQLLanguage(LanguageType.PromQL)
  const completionOf = (sourceId: number | null) =>
    newCompleteStrategy({ remote: sourceClient(sourceId), maxMetricsMetadata: maxDescribed })
  let applied = latest.current
  let completion = completionOf(applied.sourceId)
  const attributes = new Compartment()
  const reported = new Set<string>() // values passed to `onChange` that have not come back yet

  const run = (): boolean => {
    closeCompletion(view)
    latest.current.onRun?.()
    return latest.current.onRun !== undefined
  }
  const extensions: Extension[] = [
    Prec.highest(
      keymap.of([
        { key: 'Mod-Enter', run },
        { key: 'Tab', run: (view) => closeCompletion(view) && false }, // Tab moves to the next field, not into the list
      ]),
    ),
    keymap.of([...closeBracketsKeymap, ...completionKeymap, ...historyKeymap, ...defaultKeymap]),
    history(),
    drawSelection(),
    highlightSpecialChars(),
    EditorView.lineWrapping,
    bracketMatching(),
    closeBrackets(),
    language,
    language.data.of({ autocomplete: (context: CompletionContext) => completion.promQL(context) }),
    autocompletion({ icons: false, maxRenderedOptions: maxCompletions }),
    linter(({ state }) => diagnose(state, language, latest.current.problems), {
      delay: lintDelayMs,
      needsRefresh: ({ transactions }) => transactions.some(({ reconfigured }) => reconfigured), // problems of the server
    }),
    editorTheme,
    attributes.of(attributesOf(applied)),
    typeOverSelection,
    EditorView.updateListener.of(({ docChanged, transactions, state, view }) => {
      const isLate = completionStatus(state) === 'active' && !view.hasFocus // requested before the focus left
      if (isLate) queueMicrotask(() => closeCompletion(view))
      if (!docChanged || transactions.some((one) => one.annotation(fromOutside))) return
      const value = state.doc.toString()
      reported.add(value)
      latest.current.onChange(value)
    }),
  ]
  const view = new EditorView({ parent: root, root, state: EditorState.create({ doc: applied.value, extensions }) })

  const stopKeeping = keepListReachable(root)
  if (applied.problems.length > 0) forceLinting(view)

  return {
    update() {
      const previous = applied
      applied = latest.current
      const { doc, selection } = view.state
      if (applied.value === doc.toString()) reported.clear()
      else if (!reported.has(applied.value)) {
        const changes = { from: 0, to: doc.length, insert: applied.value }
        const anchor = Math.min(selection.main.head, applied.value.replaceAll('\r\n', '\n').length)
        view.dispatch({ changes, selection: { anchor }, annotations: fromOutside.of(true) })
      }
      if (applied.sourceId !== previous.sourceId) {
        completion.destroy?.()
        completion = completionOf(applied.sourceId)
      }
      const isSame = (['label', 'isReadOnly', 'hint', 'problems'] as const).every(
        (name) => applied[name] === previous[name],
      )
      if (!isSame) view.dispatch({ effects: attributes.reconfigure(attributesOf(applied)) })
      if (applied.problems !== previous.problems) forceLinting(view)
    },
    insert(text) {
      view.dispatch(view.state.replaceSelection(text), { scrollIntoView: true })
      view.focus()
    },
    focus(at) {
      if (at !== undefined) view.dispatch({ selection: { anchor: Math.min(at, view.state.doc.length) } })
      view.focus()
    },
    destroy() {
      completion.destroy?.()
      stopKeeping()
      view.destroy()
    },
  }
}

function attributesOf({ label, isReadOnly, hint, problems }: EditorProps): Extension {
  const description = problems.map(({ message }) => message).join('. ')
  return [
    EditorState.readOnly.of(isReadOnly),
    placeholder(hint),
    EditorView.contentAttributes.of({
      'aria-label': label,
      spellcheck: 'false',
      autocapitalize: 'off',
      ...(isReadOnly && { 'aria-readonly': 'true' }),
      ...(description && { 'aria-invalid': 'true', 'aria-description': description }),
    }),
  ]
}
