import { useState } from 'preact/hooks'
import { Button } from './button.tsx'
import { toast } from './toast.tsx'

const saidForMs = 2000

/** Copies a text; says so in its place. */
export function Copy({ text, of }: { text: string; of: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    if (!(await copied(text))) return toast('The browser does not let this page copy', { isProblem: true })
    setCopied(true)
    setTimeout(() => setCopied(false), saidForMs)
  }
  return (
    <Button
      small
      kind="quiet"
      icon={isCopied ? 'check' : 'copy'}
      aria-label={isCopied ? `${of} copied` : `Copy ${of}`}
      onClick={() => void copy()}
    >
      {isCopied ? 'Copied' : 'Copy'}
    </Button>
  )
}

/** Copies an address, and says so. */
export async function copyLink(address: string): Promise<void> {
  const isCopied = await copied(address)
  toast(isCopied ? 'The link is copied' : 'The browser does not let this page copy', { isProblem: !isCopied })
}

/** Whether the text is on the clipboard. Without https there is only the old way, by a selection. */
async function copied(text: string): Promise<boolean> {
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
