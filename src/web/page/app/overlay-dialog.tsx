import type { ComponentChildren } from 'preact'
import { Dialog } from '../ui/dialog/dialog.tsx'
import { closeOverlay } from './overlay.ts'

/** Dialog for an overlay. */
export function OverlayDialog(props: { label: string; class: string; children: ComponentChildren }) {
  return <Dialog {...props} onClose={closeOverlay} />
}
