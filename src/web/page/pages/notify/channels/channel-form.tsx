import { useState } from 'preact/hooks'
import { send } from '../../../api/client.ts'
import type { Channel } from '../../../api/history.ts'
import { invalidate } from '../../../api/resource.ts'
import { Button } from '../../../ui/button.tsx'
import { FormDialog } from '../../../ui/dialog/form-dialog.tsx'
import { TextField } from '../../../ui/form/field.tsx'
import { toast } from '../../../ui/toast.tsx'
import { problemsByField } from '../problems.ts'
import { ChannelInput } from './channel-input.tsx'
import { configurationOf, type ChannelField, isShown, type Stored, type Values, valuesOf } from './fields.ts'
import type { ChannelProduct } from './products.ts'
import { testChannel, type TestAnswer } from './test-channel.ts'
import { TestSaid } from './test-said.tsx'

type Props = {
  product: ChannelProduct
  /** Channel to change; undefined: a new one. */
  channel: Channel | undefined
  /** Reason why nothing can be changed; undefined if it can. */
  unavailable: string | undefined
  onClose: () => void
}

/** Form of a channel with the fields of its product. A test saves the channel first, and the receiver's answer is shown. */
export function ChannelForm({ product, channel, unavailable, onClose }: Props) {
  const { fields, preset = {} } = product
  const before = channel?.configuration as Record<string, unknown> | undefined
  const [savedId, setSavedId] = useState(channel?.id) // a test saves the channel, and the form stays open
  const [name, setName] = useState(channel?.name ?? product.name)
  const [{ values, stored }, setForm] = useState<{ values: Values; stored: Stored }>(() => initial(fields, before))
  const [problems, setProblems] = useState<Record<string, string>>({})
  const [busy, setBusy] = useState<'save' | 'test' | null>(null)
  const [answer, setAnswer] = useState<TestAnswer | null>(null)

  const save = async (): Promise<number | undefined> => {
    setProblems({})
    setAnswer(null)
    const configuration = { ...configurationOf(fields, { values, stored, ...(before && { before }) }), ...preset }
    const body = { name, channel_type: product.type, configuration }
    try {
      const path = savedId === undefined ? '/notifications/channels' : `/notifications/channels/${savedId}`
      const { data } = await send<{ data: Channel }>(savedId === undefined ? 'POST' : 'PUT', path, { body })
      setSavedId(data.id)
      invalidate('/notifications/')
      return data.id
    } catch (error) {
      setProblems(problemsByField(error, ['name', ...fields.map(({ key }) => `configuration.${key}`)]))
      return undefined
    }
  }
  const onSave = async () => {
    setBusy('save')
    const id = await save()
    setBusy(null)
    if (id === undefined) return
    toast(`${name}: saved.`)
    onClose()
  }
  const onTest = async () => {
    setBusy('test')
    const id = await save()
    const said = id === undefined ? null : await testChannel(id, product.opensIncidents === true)
    setBusy(null)
    setAnswer(said)
  }
  const input = (field: ChannelField) => (
    <ChannelInput
      key={field.key}
      field={field}
      value={values[field.key] ?? ''}
      stored={stored[field.key]}
      problem={problems[`configuration.${field.key}`]}
      onValue={(value) => setForm({ values: { ...values, [field.key]: value }, stored })}
      onForget={() =>
        setForm({ values, stored: Object.fromEntries(Object.entries(stored).filter(([key]) => key !== field.key)) })
      }
    />
  )
  const shown = fields.filter((field) => isShown(field, fields, values))
  const more = shown.filter(({ isMore }) => isMore)
  const isMoreUsed = more.some(({ key }) => values[key] || stored[key] || problems[`configuration.${key}`])
  return (
    <FormDialog
      title={channel ? channel.name : `New channel: ${product.name}`}
      action={busy === 'save' ? 'Saving' : 'Save'}
      onClose={onClose}
      onSend={onSave}
      isBusy={busy !== null}
      unavailable={unavailable}
      problem={problems['']}
      dismiss={answer ? 'Close' : 'Cancel'} // a test has saved the channel
      more={
        <Button icon="bell" isBusy={busy !== null} unavailable={unavailable} onClick={() => void onTest()}>
          {busy === 'test' ? 'Waiting for the receiver' : 'Save and test'}
        </Button>
      }
    >
      <p class="paste">{product.how}</p>
      {shown.filter(({ isMore }) => !isMore).map(input)}
      <TextField
        label="Name"
        hint="As rules and the history show it."
        value={name}
        onValue={setName}
        problem={problems['name']}
        maxLength={200}
      />
      {more.length > 0 && (
        <details class="more" open={isMoreUsed || undefined}>
          <summary>More</summary>
          <div class="fields-more">{more.map(input)}</div>
        </details>
      )}
      <TestSaid answer={answer} />
    </FormDialog>
  )
}

function initial(fields: readonly ChannelField[], before: Record<string, unknown> | undefined) {
  const { recipients, to } = before ?? {}
  const addresses = [to, ...(Array.isArray(recipients) ? recipients : [])].filter(Boolean)
  return valuesOf(fields, { ...before, ...(addresses.length > 0 && { to: addresses.join(', ') }) })
}
