import type { Coverage, RuleGroup } from '../../../api/history.ts'
import { useRead } from '../../../api/use-read.ts'
import { Read } from '../../../ui/read.tsx'
import { text, useAddress } from '../../../address/fields.ts'
import { ruleWords } from '../../../incidents/alert-words.ts'
import { kinds } from '../rules/rule-words.ts'
import { TemplateEditor } from './template-editor.tsx'

const templateFields = { kind: text, rule: text }

/** Templates of notifications, by kind of alert and group of rules. */
export function TemplatesView() {
  const coverage = useRead<Coverage>('/notifications/rules/coverage')
  return (
    <Read of={coverage} heightPx={400}>
      {({ groups }) => <Templates groups={groups} />}
    </Read>
  )
}

function Templates({ groups }: { groups: readonly RuleGroup[] }) {
  const { fields, go } = useAddress(templateFields)
  const named = groups.find(({ rule_ids }) => rule_ids.some((id) => String(id) === fields.rule))
  const alertType = named?.alert_type ?? fields.kind
  const kind = kinds.find(({ type }) => type === kindOf(alertType))?.type ?? kinds[0].type
  const ofKind = groups.filter(({ by, alert_type }) => by !== 'default' && kindOf(alert_type) === kind)
  return (
    <>
      <div class="ranges kinds" role="group" aria-label="Kind of alert">
        {kinds.map(({ type }) => (
          <button
            key={type}
            type="button"
            aria-pressed={type === kind}
            onClick={() => go({ kind: type, rule: '' }, { replace: true })}
          >
            {ruleWords[type]}
          </button>
        ))}
      </div>
      <TemplateEditor key={`${kind} ${named?.rule_ids[0]}`} kind={kind} groups={ofKind} first={named ?? ofKind[0]} />
    </>
  )
}

/** Kind with the spelling that the page offers. */
function kindOf(alertType: string): string {
  return { slo_below_target: 'violation', slo_recovery: 'recovery' }[alertType] ?? alertType
}
