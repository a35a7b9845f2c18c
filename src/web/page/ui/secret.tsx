import { Copy } from './copy.tsx'

/** Text that the server shows this once, to be copied. */
export function Secret({ label, text, of }: { label: string; text: string; of: string }) {
  return (
    <div class="stack" role="status">
      <label class="stack">
        {label}
        <input class="input mono" readOnly value={text} onFocus={(event) => event.currentTarget.select()} />
      </label>
      <div>
        <Copy text={text} of={of} />
      </div>
    </div>
  )
}
