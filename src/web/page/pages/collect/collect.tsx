import { useEffect } from 'preact/hooks'
import { words } from '../../words.ts'

export function CollectPage() {
  useEffect(() => {
    document.title = `Collect · ${words.product}`
  }, [])
  return (
    <div class="page">
      <header class="page-head">
        <h1>Collect</h1>
      </header>
    </div>
  )
}
