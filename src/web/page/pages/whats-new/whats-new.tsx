import { useRead } from '../../api/use-read.ts'
import type { Schemas } from '../../../../../dist/openapi.d.ts'
import { Markdown } from '../../ui/markdown.tsx'
import { Page } from '../../ui/page.tsx'
import { Read } from '../../ui/read.tsx'
import { shownReleases } from './shown-releases.ts'
import { newsSentence } from './words.ts'

type WhatsNew = Schemas['WhatsNew']
type Release = WhatsNew['releases'][number]

/** Changes of the versions since the upgrade; without one, those of the version that runs. Earlier ones are folded. */
export function WhatsNewPage() {
  const news = useRead<WhatsNew>('/organization/system/whats-new')
  return (
    <Page title="What is new" class="whats-new" crumbs={[['/settings/system', 'System']]}>
      <Read of={news} heightPx={320}>
        {(value) => <Releases of={value} />}
      </Read>
    </Page>
  )
}

function Releases({ of: value }: { of: WhatsNew }) {
  const { shown, earlier } = shownReleases(value.releases)
  return (
    <>
      <p>{newsSentence(value)}</p>
      {shown.map((release) => (
        <Section key={release.version} of={release} />
      ))}
      {earlier.length > 0 && (
        <details>
          <summary>Earlier versions</summary>
          {earlier.map((release) => (
            <Section key={release.version} of={release} />
          ))}
        </details>
      )}
    </>
  )
}

function Section({ of: { version, released_on, text } }: { of: Release }) {
  return (
    <section class="card section" aria-label={version}>
      <h2>
        {version} {released_on !== null && <time dateTime={released_on}>{released_on}</time>}
      </h2>
      <Markdown text={text} />
    </section>
  )
}
