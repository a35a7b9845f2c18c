import { useLocation } from 'preact-iso/router'
import { useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks'
import { whyNot } from '../../api/rights.ts'
import { useRead } from '../../api/use-read.ts'
import type { Overview } from '../../api/types.ts'
import { link } from '../../address/base.ts'
import { chunk } from '../../ui/chunk.tsx'
import { loadCodeAndStyle } from '../../ui/lazy.ts'
import { onSloUpdate } from '../../api/live.ts'
import { followOverview } from '../../api/overview-updates.ts'
import { onKeys } from '../../ui/shortcuts.ts'
import { Button, IconButton, LinkButton } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/read.tsx'
import { nowMs } from '../../ui/time.tsx'
import { useAddress } from '../../address/fields.ts'
import { words } from '../../words.ts'
import { countAttention, sortSlos } from './attention.ts'
import { Checklist } from './checklist.tsx'
import { Filters } from './filters.tsx'
import { RowMenu } from './row-menu.tsx'
import { refused } from '../../slo/bulk-change.ts'
import { selected } from './selection/selected.ts'
import { Table } from './table.tsx'
import { groupSlos, isInView, type View, viewFields } from './view.ts'
import { connectionWords, liveWords, summaryOf } from './words.ts'
import { showAllLabel } from '../../ui/named-words.ts'

/** Address and scroll position of the overview when it was last shown. */
let lastShown = { url: '', scrollPx: 0 }
/** Address to which the browser's Back or Forward led last. */
let wentBackTo = ''
addEventListener('popstate', () => (wentBackTo = location.pathname + location.search))

export function OverviewPage() {
  const overview = useRead<Overview>('/slos/overview')
  const { value, error } = overview
  useEffect(() => followOverview(overview), [overview])
  const slos = value.value?.slos
  return (
    <Page title="Overview" class="overview" actions={<NewSloButton />} read={overview}>
      {slos === undefined ? (
        !error.value && <Skeleton heightPx={44} lines={8} />
      ) : slos.length === 0 ? (
        <>
          <FirstSteps />
          <DeletedSlos isAsked={false} />
        </>
      ) : (
        <Slos slos={slos} policies={value.value?.team_policies ?? []} />
      )}
      {slos && <Checklist slos={slos} />}
    </Page>
  )
}

/** Link to the form of a new SLO; also opened by the key `n`. */
function NewSloButton() {
  const { route } = useLocation()
  const address = link('/slos/new')
  const unavailable = whyNot('edit')
  useLayoutEffect(() => (unavailable ? undefined : onKeys({ n: () => route(address) })), [unavailable])
  return unavailable ? (
    <Button icon="plus" unavailable={unavailable}>
      New SLO
    </Button>
  ) : (
    <LinkButton kind="primary" icon="plus" href={address}>
      New SLO
    </LinkButton>
  )
}

function Slos({ slos, policies }: { slos: Overview['slos']; policies: Overview['team_policies'] }) {
  const { url } = useLocation()
  const { fields: view, go } = useAddress(viewFields)
  const change = (changes: Partial<View>) => go(changes, { replace: true })
  const groups = useMemo(() => {
    const found = slos.filter((slo) => isInView(slo, view))
    return groupSlos(sortSlos(found, view.sort.by, view.sort.isReversed), view.group)
  }, [slos, view])
  const summary = useMemo(() => summaryOf(countAttention(slos)), [slos])
  const isDeletedAsked = view.states.includes('deleted')
  useScrollRestoration(url)
  useEffect(
    () => () => {
      selected.value = null
      refused.value = null
    },
    [],
  )
  return (
    <>
      <p class="summary">
        <span>{summary}</span>
        <Freshness />
      </p>
      <Filters slos={slos} view={view} change={change} />
      <RefusedSlos />
      {groups.length === 0 ? (
        !isDeletedAsked && (
          <p class="none">
            No SLO is like that. <a href={link('/')}>{showAllLabel(slos.length)}</a>
          </p>
        )
      ) : (
        <Table
          groups={groups}
          policies={policies}
          view={view}
          onSort={(by) => change({ sort: { by, isReversed: by === view.sort.by && !view.sort.isReversed } })}
        />
      )}
      {isDeletedAsked && <DeletedSlos isAsked />}
      <RowMenu slos={slos} />
      {selected.value && <SelectionBar slos={groups.flatMap(({ slos }) => slos)} />}
    </>
  )
}

const SelectionBar = chunk(
  () => loadCodeAndStyle(async () => (await import('./selection/selection-bar.tsx')).SelectionBar),
  48,
)

const FirstSteps = chunk(async () => (await import('./first-steps.tsx')).FirstSteps, 352)

const DeletedSlos = chunk(() => loadCodeAndStyle(async () => (await import('./deleted-slos.tsx')).DeletedSlos), null)

function Freshness() {
  const { state, sinceMs } = onSloUpdate.state.value
  if (state === 'live') {
    return (
      <span class="freshness live">
        <span class="dot" aria-hidden="true" /> {liveWords(nowMs.value)}
      </span>
    )
  }
  return <span class="freshness">{connectionWords(state === 'connecting' ? null : sinceMs)}</span>
}

/** Restores the scroll position when the user goes back to the list. */
function useScrollRestoration(url: string): void {
  const [previous] = useState(() => lastShown)
  useEffect(() => {
    if (wentBackTo === url && previous.url === url) scrollTo(0, previous.scrollPx)
    wentBackTo = ''
  }, [])
  useEffect(() => {
    const remember = () => {
      // the next page scrolls to its top while its code is loaded, and this one is still shown
      if (location.pathname + location.search === url) lastShown = { url, scrollPx: scrollY }
    }
    addEventListener('scroll', remember, { passive: true })
    addEventListener('click', remember, true) // it may leave the page before the scroll event of a key
    return () => {
      removeEventListener('scroll', remember)
      removeEventListener('click', remember, true)
    }
  }, [url])
}

/** SLOs that the last operation could not change, each with the reason. */
function RefusedSlos() {
  if (!refused.value) return null
  const { words: change, of, slos } = refused.value
  return (
    <section class="card refused-slos" role="alert" aria-label="Not changed">
      <div>
        <p class="problem">{change.refused(slos.length, of)}</p>
        <ul>
          {slos.map(({ id, name, why }) => (
            <li key={id}>
              <a href={link(`/slos/${id}`)}>{name}</a>: {why}
            </li>
          ))}
        </ul>
      </div>
      <IconButton icon="x" label={words.close} onClick={() => (refused.value = null)} />
    </section>
  )
}
