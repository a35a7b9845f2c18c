import { useEffect, useState } from 'preact/hooks'
import { PromqlEditor } from '../../editor/promql-editor.tsx'
import { words } from '../../words.ts'

export function ExplorePage() {
  const [query, setQuery] = useState('')
  useEffect(() => {
    document.title = `Explore · ${words.product}`
  }, [])
  return (
    <div class="page">
      <header class="page-head">
        <h1>Explore</h1>
      </header>
      <PromqlEditor value={query} onChange={setQuery} sourceId={null} label="Query" />
    </div>
  )
}
