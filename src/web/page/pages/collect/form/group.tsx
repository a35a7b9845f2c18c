import type { ComponentChildren } from 'preact'
import { Fields, type FieldSpec } from '../../../ui/form/fields.tsx'
import type { Form } from '../../../ui/form/use-form.ts'

type Props<T extends object> = {
  title: string
  isFolded?: boolean
  form: Pick<Form<T>, 'draft' | 'field'>
  of: readonly FieldSpec<NoInfer<T>>[]
  /** Parts above the fields. */
  above?: ComponentChildren
  /** Parts below the fields. */
  children?: ComponentChildren
}

/** Fields that belong together; folded if few users need them. */
export function Group<T extends object>({ title, isFolded = false, form, of, above, children }: Props<T>) {
  const Frame = isFolded ? 'details' : 'fieldset'
  const Title = isFolded ? 'summary' : 'legend'
  return (
    <Frame class="form-group">
      <Title>{title}</Title>
      <div class="form-grid">
        {above}
        <Fields of={of} form={form} />
        {children}
      </div>
    </Frame>
  )
}
