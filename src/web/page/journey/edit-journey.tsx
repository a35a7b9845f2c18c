import type { Budget, Slo } from '../api/types.ts'
import { useRead } from '../api/use-read.ts'
import { Read } from '../ui/read.tsx'
import { JourneyForm } from './journey.tsx'

/** Form to edit a journey. The names of its members come from its budget, which has none before the first measurement. */
export function EditJourney({ slo }: { slo: Slo }) {
  const budget = useRead<Budget>(`/slos/${slo.id}/budget`)
  return (
    <Read of={budget} heightPx={240}>
      {({ composite }) => (
        <JourneyForm of={slo} names={new Map(composite?.members.map(({ slo_id, name }) => [slo_id, name]))} />
      )}
    </Read>
  )
}
