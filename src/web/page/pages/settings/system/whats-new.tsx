import { link } from '../../../address/base.ts'
import { useRead } from '../../../api/use-read.ts'
import { Markdown } from '../../../ui/markdown.tsx'
import { Read } from '../../../ui/read.tsx'
import type { WhatsNew as News } from '../types.ts'
import { newsSentence, shownReleases, whatsNewTitle } from './words.ts'

type Release = News['releases'][number]

/** Changes of the versions since the upgrade; without one, those of the version that runs. Earlier ones are folded. */
export function WhatsNew() {
  const news = useRead<News>('/organization/system/whats-new')
  return (
    <>
      <a href={link('/settings/system')}>Back to System</a>
      <Read of={news} heightPx={320}>
        {(value) => <Releases of={value} />}
      </Read>
    </>
  )
}

function Releases({ of: value }: { of: News }) {
  const { shown, earlier } = shownReleases(value.releases)
  return (
    <>
      <p>{newsSentence(value)}</p>
      {shown.map((release) => (
        <Section key={release.version} of={release} />
      ))}
      {earlier.length > 0 && (
        <details class="earlier">
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
  const title = whatsNewTitle(version)
  return (
    <section class="card section" aria-label={title}>
      <h2>
        {title} {released_on !== null && <time dateTime={released_on}>({released_on})</time>}
      </h2>
      <Markdown text={text} />
    </section>
  )
}
