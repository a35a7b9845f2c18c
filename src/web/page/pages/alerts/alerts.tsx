import { useEffect } from 'preact/hooks'
import { words } from '../../words.ts'

export function AlertsPage() {
  useEffect(() => {
    document.title = `Alerts · ${words.product}`
  }, [])
  return (
    <div class="page">
      <header class="page-head">
        <h1>Alerts</h1>
      </header>
    </div>
  )
}
