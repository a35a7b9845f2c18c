import type { TemplatePreview } from '../../../api/history.ts'

type Props = { of: TemplatePreview['placeholders']; onChoose: (name: string) => void }

/** Placeholders of a text with their descriptions, and their values in the preview. A click inserts one at the cursor. */
export function Placeholders({ of, onChoose }: Props) {
  return (
    <details class="more placeholders">
      <summary>Placeholders</summary>
      <div class="placeholder-list">
        <table class="rows">
          <caption class="hidden-text">Placeholders</caption>
          <thead>
            <tr>
              <th scope="col">Insert</th>
              <th scope="col">What it is</th>
              <th scope="col">Here</th>
            </tr>
          </thead>
          <tbody>
            {of.map(({ name, description, value }) => (
              <tr key={name}>
                <th scope="row">
                  <button type="button" class="code" title={`Insert ${name}`} onClick={() => onChoose(name)}>
                    {`{{${name}}}`}
                  </button>
                </th>
                <td data-label="What it is">{description}</td>
                <td data-label="Here">{value === '' ? <span class="muted">empty</span> : value}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}
