import { useLocation } from 'preact-iso/router'
import type { Coverage, RuleGroup } from '../../../api/history.ts'
import { useResource } from '../../../api/use-resource.ts'
import { Read } from '../../../ui/read.tsx'
import { queryOf, urlWith } from '../../../address/url.ts'
import { ruleWords } from '../../../incidents/alert-words.ts'
import { kinds } from '../rules/rule-words.ts'
import { TemplateEditor } from './template-editor.tsx'

/** Templates of notifications, by kind of alert and group of rules. */
export function TemplatesView() {
  const coverage = useResource<Coverage>('/notifications/rules/coverage')
  return (
    <Read of={coverage} heightPx={400}>
      {({ groups }) => <Templates groups={groups} />}
    </Read>
  )
}

function Templates({ groups }: { groups: readonly RuleGroup[] }) {
  const { url, route } = useLocation()
  const named = groups.find(({ rule_ids }) => rule_ids.some((id) => String(id) === queryOf(url, 'rule')))
  const wanted = named?.alert_type ?? queryOf(url, 'kind')
  const kind = kinds.find(({ type }) => type === kindOf(wanted))?.type ?? kinds[0].type
  const ofKind = groups.filter(({ by, alert_type }) => by !== 'default' && kindOf(alert_type) === kind)
  return (
    <>
      <div class="ranges kinds" role="group" aria-label="Kind of alert">
        {kinds.map(({ type }) => (
          <button
            key={type}
            type="button"
            aria-pressed={type === kind}
            onClick={() => route(urlWith(url, { kind: type, rule: null }), true)}
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
