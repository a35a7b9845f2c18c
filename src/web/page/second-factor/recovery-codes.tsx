import { Copy } from '../ui/copy.tsx'
import { Button } from '../ui/button.tsx'
import { words } from './words.ts'

/** Recovery codes, which the server shows this once, to be copied or saved. */
export function RecoveryCodes({ of: codes, onKept }: { of: readonly string[]; onKept: () => void }) {
  const text = `${codes.join('\n')}\n`
  return (
    <div class="second-factor stack">
      <p role="status">{words.codes}</p>
      <ul class="codes" aria-label="Recovery codes">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <p class="hint">{words.keep}</p>
      <div class="cluster">
        <Copy text={text} of="the recovery codes" />
        <a
          class="button quiet small"
          download="nines-recovery-codes.txt"
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(text)}`}
        >
          Save as a file
        </a>
        <Button kind="primary" small onClick={onKept}>
          {words.kept}
        </Button>
      </div>
    </div>
  )
}
