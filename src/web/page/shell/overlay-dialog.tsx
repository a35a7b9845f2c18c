import type { ComponentChildren } from 'preact'
import { Dialog } from '../ui/dialog/dialog.tsx'
import { closeOverlay } from './overlay.ts'

/** The dialog of what lies over the page. */
export function OverlayDialog(props: { label: string; class: string; children: ComponentChildren }) {
  return <Dialog {...props} onClose={closeOverlay} />
}
