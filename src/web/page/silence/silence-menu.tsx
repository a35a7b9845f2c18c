import { useLayoutEffect } from 'preact/hooks'
import { whyNot } from '../api/rights.ts'
import type { Slo } from '../api/types.ts'
import { now } from '../clock.ts'
import { onKeys } from '../ui/shortcuts.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { type Choice, Menu } from '../ui/menu.tsx'
import { Time, useNow } from '../ui/time.tsx'
import { endPresets } from './ends.ts'
import { changeSilence, openSilence, type SilenceTarget } from './request.ts'
import { endSilences, labelText, silenceNow } from './send.ts'
import { endNowLabel, silencedByWords, silencedUntilWords } from './words.ts'

type Props = {
  target: SilenceTarget
  /** Active silence of the target that ends last. */
  current?: Slo['silence']
  /** True if the key `s` opens the dialog for the target. */
  hasKey?: boolean
}

/** Menu of preset ends, and the dialog. For a silenced target: the end of its silence, and actions to change or end it. */
export function SilenceMenu({ target, current = null, hasKey = false }: Props) {
  const unavailable = whyNot('edit')
  const isInForce = useNow((atMs) => current !== null && Date.parse(current.until) > atMs, [current?.until])
  const isSilenced = current !== null && isInForce.value
  const openDialog = () => (isSilenced ? changeSilence(current) : openSilence(target))
  useLayoutEffect(
    () => (hasKey && !unavailable ? onKeys({ s: openDialog }) : undefined),
    [hasKey, unavailable, target, current],
  )
  const button = (
    <>
      <Icon name="bell-off" />
      {isSilenced ? <span>{silencedUntilWords(<Time ms={Date.parse(current.until)} />)}</span> : 'Silence'}
    </>
  )
  if (unavailable) return <Button unavailable={unavailable}>{button}</Button>
  const choices: Choice[] = isSilenced
    ? [
        {
          label: endNowLabel(current.labels && labelText(current.labels)),
          icon: 'bell',
          onChoose: () => void endSilences([current.id]),
        },
        { label: 'Change end or reason…', icon: 'clock', onChoose: openDialog },
      ]
    : [
        ...endPresets.map(({ label, atMs }) => ({
          label: label(),
          onChoose: () => void silenceNow(target, atMs(now())),
        })),
        { label: 'Custom…', onChoose: openDialog },
      ]
  const label = isSilenced ? silencedByWords(current.created_by_name, current.comment) : 'Silence'
  return <Menu label={label} button={button} choices={choices} />
}
