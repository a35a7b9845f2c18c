import { useState } from 'preact/hooks'
import { Button } from './button.tsx'
import { toast } from './toast.ts'
import { copyLabel } from './words.ts'

const confirmedForMs = 2000

/** Button that copies a text, and confirms it in its own label. */
export function Copy({ text, of }: { text: string; of: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    if (!(await copyText(text))) return toast('The browser does not let this page copy', { isProblem: true })
    setCopied(true)
    setTimeout(() => setCopied(false), confirmedForMs)
  }
  return (
    <Button
      small
      kind="quiet"
      icon={isCopied ? 'check' : 'copy'}
      aria-label={copyLabel(of, isCopied)}
      onClick={() => void copy()}
    >
      {isCopied ? 'Copied' : 'Copy'}
    </Button>
  )
}

/** Copies an address, and shows a message. */
export async function copyLink(address: string): Promise<void> {
  const isCopied = await copyText(address)
  toast(isCopied ? 'The link is copied' : 'The browser does not let this page copy', { isProblem: !isCopied })
}

/** Copies a text; true on success. Without https, only the legacy way by a selection works. */
async function copyText(text: string): Promise<boolean> {
  const clipboard: Clipboard | undefined = navigator.clipboard
  if (clipboard !== undefined) {
    return clipboard.writeText(text).then(
      () => true,
      () => false,
    )
  }
  const area = document.createElement('textarea')
  area.value = text
  document.body.append(area)
  area.select()
  const isDone = document.execCommand('copy')
  area.remove()
  return isDone
}
