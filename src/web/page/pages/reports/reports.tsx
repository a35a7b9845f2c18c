import { useRoute } from 'preact-iso/router'
import { NotFound } from '../../ui/page.tsx'
import { ReportPage } from './one-report.tsx'
import { ReportList } from './report-list.tsx'

/** Reports and their schedules, or the report in the address. */
export function ReportsPage() {
  const { id } = useRoute().params
  if (id === undefined || id === '') return <ReportList />
  return /^[1-9]\d{0,14}$/.test(id) ? <ReportPage key={id} id={Number(id)} /> : <NotFound />
}
