import { useId, useState } from 'preact/hooks'
import { send } from '../../../api/client.ts'
import type { Channel } from '../../../api/history.ts'
import { hasMailServer } from '../../../api/page-settings.ts'
import { invalidate } from '../../../api/resource.ts'
import { Button } from '../../../ui/button.tsx'
import { FormDialog } from '../../../ui/dialog/form-dialog.tsx'
import { ProblemText, TextField } from '../../../ui/form/field.tsx'
import {
  certificateFields,
  certificatesOf,
  type CertificatesDraft,
  certificatesTitle,
  draftOfCertificates,
} from '../../../ui/form/certificates.ts'
import { Fields } from '../../../ui/form/fields.tsx'
import { type Bound, useForm } from '../../../ui/form/use-form.ts'
import { specOf } from './channel-spec.tsx'
import { configurationOf, type ChannelField, isShown, type Stored, type Values, valuesOf } from './fields.ts'
import { type ChannelProduct, fieldsOf, howOf } from './products.ts'
import { testChannel, type TestAnswer } from './test-channel.ts'
import { TestResult } from './test-result.tsx'
import { newChannelTitle } from './words.ts'
import { savedText } from '../../../ui/named-words.ts'

type Draft = { name: string; is_default: boolean; values: Values; stored: Stored; tls: CertificatesDraft }

type Configuration = Record<string, unknown> & { tls?: Partial<CertificatesDraft> }

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
  const { tls: storedTls, ...previous } = (channel?.configuration ?? {}) as Configuration
  const [savedId, setSavedId] = useState(channel?.id) // a test saves the channel, and the form stays open
  const [isSaved, setSaved] = useState(false)
  const [answer, setAnswer] = useState<TestAnswer | null>(null)

  const save = async ({ name, is_default, tls: pems, ...written }: Draft): Promise<number> => {
    setAnswer(null)
    const tls = certificatesOf(pems)
    const configuration = { ...configurationOf(fields, { ...written, previous }), ...preset, ...(tls && { tls }) }
    const body = { name, channel_type: product.type, configuration, is_default }
    const path = savedId === undefined ? '/notifications/channels' : `/notifications/channels/${savedId}`
    const { data } = await send<{ data: Channel }>(savedId === undefined ? 'POST' : 'PUT', path, { body })
    setSavedId(data.id)
    setSaved(true)
    invalidate('/notifications/')
    return data.id
  }
  const form = useForm({
    initial: (): Draft => ({
      name: channel?.name ?? product.name,
      is_default: channel?.is_default ?? isFirst,
      ...initial(fields, previous),
      tls: draftOfCertificates(storedTls),
    }),
    async send(draft, how?: 'test') {
      const id = await save(draft)
      return how === 'test' ? testChannel(id, product.opensIncidents === true) : draft.name
    },
    // `end`: the name of the saved channel, or the answer to its test
    done: (end) => (typeof end === 'string' ? savedText(end) : undefined),
    next: (end) => (typeof end === 'string' ? onClose() : setAnswer(end)),
  })
  const { values, stored, tls } = form.draft
  const isTested = form.running === 'test'
  const shown = fields.filter((field) => isShown(field, fields, values))
  const specs = (isMore: boolean) =>
    shown
      .filter((field) => (field.isMore === true) === isMore)
      .map((field) => {
        const { [field.key]: kept, ...others } = stored
        const onForget = () => form.set({ stored: others })
        return specOf(field, { value: values[field.key] ?? '', stored: kept, onForget })
      })
  const configuration = {
    draft: values,
    field: (key: string) => ({
      value: values[key] ?? '',
      onValue: (value: string) => form.set({ values: { ...values, [key]: value } }),
      problem: form.problemAt(`configuration.${key}`),
    }),
  }
  const certificates = {
    draft: tls,
    field: (key: keyof CertificatesDraft) => ({
      value: tls[key],
      onValue: (value: string) => form.set({ tls: { ...tls, [key]: value } }),
      problem:
        form.problemAt(`configuration.tls.${key}`) ?? (key === 'ca' ? form.problemAt('configuration.tls') : undefined),
    }),
  }
  const areCertificatesUsed =
    certificatesOf(tls) !== null || certificateFields.some(({ name }) => certificates.field(name).problem)
  const more = specs(true)
  const isMoreUsed = more.some(({ name }) => values[name] || stored[name] || form.problemAt(`configuration.${name}`))
  return (
    <FormDialog
      of={form}
      title={channel ? channel.name : newChannelTitle(product.name)}
      action={form.isBusy && !isTested ? 'Saving' : 'Save'}
      onClose={onClose}
      unavailable={unavailable}
      dismiss={isSaved ? 'Close' : 'Cancel'}
      more={
        <Button icon="bell" isBusy={form.isBusy} unavailable={unavailable} onClick={() => form.run('test')}>
          {isTested ? 'Waiting for the receiver' : 'Save and test'}
        </Button>
      }
    >
      <p class="paste">{howOf(product, hasMailServer)}</p>
      <Fields of={specs(false)} form={configuration} />
      <TextField label="Name" hint="As rules and the history show it." maxLength={200} {...form.field('name')} />
      <EverySlo {...form.field('is_default')} />
      {more.length > 0 && (
        <details class="more" open={isMoreUsed || undefined}>
          <summary>More</summary>
          <div class="fields-more">
            <Fields of={more} form={configuration} />
          </div>
        </details>
      )}
      {product.id !== 'email' && (
        <details class="more" open={areCertificatesUsed || undefined}>
          <summary>{certificatesTitle}</summary>
          <div class="fields-more">
            <Fields of={certificateFields} form={certificates} />
          </div>
        </details>
      )}
      <TestResult answer={answer} />
    </FormDialog>
  )
}

function EverySlo({ value, onValue, problem }: Bound<boolean>) {
  const id = useId()
  return (
    <div class="field">
      <label class="choice kind">
        <input
          type="checkbox"
          aria-describedby={`${id}-hint`}
          checked={value}
          onChange={({ currentTarget }) => onValue(currentTarget.checked)}
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

/** Initial values; the addresses of mails, stored as `to` and `recipients`, are one field. */
function initial(fields: readonly ChannelField[], previous: Configuration) {
  const { recipients, to } = previous
  const addresses = [to, ...(Array.isArray(recipients) ? recipients : [])].filter(Boolean)
  return valuesOf(fields, { ...previous, ...(addresses.length > 0 && { to: addresses.join(', ') }) })
}
