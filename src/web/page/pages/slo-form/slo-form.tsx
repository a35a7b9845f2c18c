import { useEffect } from 'preact/hooks'
import { words } from '../../words.ts'

export function SloFormPage() {
  useEffect(() => {
    document.title = `New SLO · ${words.product}`
  }, [])
  return (
    <div class="page">
      <header class="page-head">
        <h1>New SLO</h1>
      </header>
    </div>
  )
}
