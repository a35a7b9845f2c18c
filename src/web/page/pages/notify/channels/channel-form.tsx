import { useId, useState } from 'preact/hooks'
import { send } from '../../../api/client.ts'
import type { Channel } from '../../../api/history.ts'
import { hasMailServer } from '../../../api/page-settings.ts'
import { invalidate } from '../../../api/resource.ts'
import { useAction } from '../../../ui/action.ts'
import { Button } from '../../../ui/button.tsx'
import { FormDialog } from '../../../ui/dialog/form-dialog.tsx'
import { ProblemText, TextField } from '../../../ui/form/field.tsx'
import { problemsByField } from '../problems.ts'
import { ChannelInput } from './channel-input.tsx'
import { configurationOf, type ChannelField, isShown, type Stored, type Values, valuesOf } from './fields.ts'
import { type ChannelProduct, fieldsOf, howOf } from './products.ts'
import { testChannel, type TestAnswer } from './test-channel.ts'
import { TestSaid } from './test-said.tsx'

type Props = {
  product: ChannelProduct
  /** Channel to change; undefined: a new one. */
  channel: Channel | undefined
  /** True if the organization has no channel yet. */
  isFirst: boolean
  /** Reason why nothing can be changed; undefined if it can. */
  unavailable: string | undefined
  onClose: () => void
}

/** Form of a channel with the fields of its product. A test saves the channel first, and the receiver's answer is shown. */
export function ChannelForm({ product, channel, isFirst, unavailable, onClose }: Props) {
  const { preset = {} } = product
  const fields = fieldsOf(product, hasMailServer)
  const before = channel?.configuration as Record<string, unknown> | undefined
  const [savedId, setSavedId] = useState(channel?.id) // a test saves the channel, and the form stays open
  const [isSaved, setSaved] = useState(false)
  const [name, setName] = useState(channel?.name ?? product.name)
  const [isDefault, setDefault] = useState(channel?.is_default ?? isFirst)
  const [{ values, stored }, setForm] = useState<{ values: Values; stored: Stored }>(() => initial(fields, before))
  const [answer, setAnswer] = useState<TestAnswer | null>(null)

  const save = async (): Promise<number> => {
    setAnswer(null)
    const configuration = { ...configurationOf(fields, { values, stored, ...(before && { before }) }), ...preset }
    const body = { name, channel_type: product.type, configuration, is_default: isDefault }
    const path = savedId === undefined ? '/notifications/channels' : `/notifications/channels/${savedId}`
    const { data } = await send<{ data: Channel }>(savedId === undefined ? 'POST' : 'PUT', path, { body })
    setSavedId(data.id)
    setSaved(true)
    invalidate('/notifications/')
    return data.id
  }
  const action = useAction(
    async (what: 'save' | 'test') => {
      const id = await save()
      return what === 'test' ? testChannel(id, product.opensIncidents === true) : null
    },
    {
      done: (tested) => (tested ? undefined : `${name}: saved.`),
      problemOf: (error) =>
        problemsByField(error, ['name', 'is_default', ...fields.map(({ key }) => `configuration.${key}`)]),
      next: (tested) => (tested ? setAnswer(tested) : onClose()),
    },
  )
  const { run, isBusy, running, problem: problems = {} } = action
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
      action={running?.[0] === 'save' ? 'Saving' : 'Save'}
      onClose={onClose}
      onSend={() => run('save')}
      isBusy={isBusy}
      unavailable={unavailable}
      problem={problems['']}
      dismiss={isSaved ? 'Close' : 'Cancel'}
      more={
        <Button icon="bell" isBusy={isBusy} unavailable={unavailable} onClick={() => void run('test')}>
          {running?.[0] === 'test' ? 'Waiting for the receiver' : 'Save and test'}
        </Button>
      }
    >
      <p class="paste">{howOf(product, hasMailServer)}</p>
      {shown.filter(({ isMore }) => !isMore).map(input)}
      <TextField
        label="Name"
        hint="As rules and the history show it."
        value={name}
        onValue={setName}
        problem={problems['name']}
        maxLength={200}
      />
      <EverySlo isChosen={isDefault} onChosen={setDefault} problem={problems['is_default']} />
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

function EverySlo(props: { isChosen: boolean; onChosen: (isChosen: boolean) => void; problem: string | undefined }) {
  const { isChosen, onChosen, problem } = props
  const id = useId()
  return (
    <div class="field">
      <label class="choice kind">
        <input
          type="checkbox"
          aria-describedby={`${id}-hint`}
          checked={isChosen}
          onChange={({ currentTarget }) => onChosen(currentTarget.checked)}
        />
        <span>Notify of every SLO</span>
      </label>
      <p class="hint" id={`${id}-hint`}>
        Also of those that come later: when one is down, burns its budget too fast or has used it up, and when it is up
        again. Rules can make exceptions.
      </p>
      <ProblemText id={`${id}-problem`} of={problem} />
    </div>
  )
}

function initial(fields: readonly ChannelField[], before: Record<string, unknown> | undefined) {
  const { recipients, to } = before ?? {}
  const addresses = [to, ...(Array.isArray(recipients) ? recipients : [])].filter(Boolean)
  return valuesOf(fields, { ...before, ...(addresses.length > 0 && { to: addresses.join(', ') }) })
}
