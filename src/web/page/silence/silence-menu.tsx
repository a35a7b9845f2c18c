import { useEffect } from 'preact/hooks'
import { me } from '../api/session.ts'
import type { Slo } from '../api/types.ts'
import { now } from '../clock.ts'
import { formatMoment } from '../format.ts'
import { onKeys } from '../shell/shortcuts.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { type Choice, Menu } from '../ui/menu.tsx'
import { nowMs } from '../ui/time.tsx'
import { words } from '../words.ts'
import { ends } from './ends.ts'
import { changeSilence, openSilence, type SilenceTarget } from './request.ts'
import { endSilences, labelText, silenceNow } from './send.ts'

type Props = {
  target: SilenceTarget
  /** The silence in force that holds it back longest. */
  current?: Slo['silence']
  /** Whether the key `s` opens the dialog for it. */
  hasKey?: boolean
}

/** Silences in two clicks: a menu of ends, or the dialog. Of what is silenced: until when, and how it ends. */
export function SilenceMenu({ target, current = null, hasKey = false }: Props) {
  const isViewer = me.value?.role === 'viewer'
  const isSilenced = current !== null && Date.parse(current.until) > nowMs.value
  const custom = () => (isSilenced ? changeSilence(current) : openSilence(target))
  useEffect(() => (hasKey && !isViewer ? onKeys({ s: custom }) : undefined), [hasKey, isViewer, target, current])
  const button = (
    <>
      <Icon name="bell-off" />
      {isSilenced ? `Silenced until ${formatMoment(Date.parse(current.until), nowMs.value)}` : 'Silence'}
    </>
  )
  if (isViewer) return <Button unavailable={words.viewer}>{button}</Button>
  const choices: Choice[] = isSilenced
    ? [
        { label: endOf(current), icon: 'bell', onChoose: () => void endSilences([current.id]) },
        { label: 'Change end or reason…', icon: 'clock', onChoose: custom },
      ]
    : [
        ...ends.map(({ label, atMs }) => ({ label, onChoose: () => void silenceNow(target, atMs(now())) })),
        { label: 'Custom…', onChoose: custom },
      ]
  const label = isSilenced ? saidOf(current) : 'Silence'
  return <Menu label={label} button={button} choices={choices} />
}

/** Of a silence by labels, which holds back others too, it says so. */
function endOf({ labels }: NonNullable<Slo['silence']>): string {
  return labels === null ? 'End now' : `End now, for all with ${labelText(labels)}`
}

/** Who silenced it, and why. */
function saidOf({ comment, created_by_name: by }: NonNullable<Slo['silence']>): string {
  return `Silenced${by === null ? '' : ` by ${by}`}: ${comment}`
}
