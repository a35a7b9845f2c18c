import type { TemplatePreview } from '../../../api/history.ts'
import { Table } from '../../../ui/table.tsx'
import { insertLabel } from './words.ts'

type Props = { of: TemplatePreview['placeholders']; onChoose: (name: string) => void }

/** Placeholders of a text with their descriptions, and their values in the preview. A click inserts one at the cursor. */
export function Placeholders({ of, onChoose }: Props) {
  return (
    <details class="more placeholders">
      <summary>Placeholders</summary>
      <div class="placeholder-list">
        <Table
          caption="Placeholders"
          columns={[
            {
              head: 'Insert',
              cell: ({ name }) => (
                <button type="button" class="code" title={insertLabel(name)} onClick={() => onChoose(name)}>
                  {`{{${name}}}`}
                </button>
              ),
            },
            { head: 'What it is', cell: ({ description }) => description },
            { head: 'Here', cell: ({ value }) => (value === '' ? <span class="muted">empty</span> : value) },
          ]}
          rows={of}
          rowKey={({ name }) => name}
        />
      </div>
    </details>
  )
}
