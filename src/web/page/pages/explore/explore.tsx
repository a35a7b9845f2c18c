import { useEffect } from 'preact/hooks'
import { words } from '../../words.ts'

export function ExplorePage() {
  useEffect(() => {
    document.title = `Explore · ${words.product}`
  }, [])
  return (
    <div class="page">
      <header class="page-head">
        <h1>Explore</h1>
      </header>
    </div>
  )
}
