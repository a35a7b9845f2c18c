import { useEffect } from 'preact/hooks'
import { words } from '../../words.ts'

export function NotifyPage() {
  useEffect(() => {
    document.title = `Notify · ${words.product}`
  }, [])
  return (
    <div class="page">
      <header class="page-head">
        <h1>Notify</h1>
      </header>
    </div>
  )
}
