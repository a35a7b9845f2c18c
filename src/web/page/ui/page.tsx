import type { ComponentChildren, RefObject } from 'preact'
import { useLocation } from 'preact-iso/router'
import { link } from '../address/base.ts'
import type { Resource } from '../api/resource.ts'
import { LinkButton } from './button.tsx'
import { Icon, type IconName } from './icon.tsx'
import { Failed, Skeleton } from './read.tsx'
import { useTitle } from './title.ts'

/** Link to a view of a page, by default current if its path is that of the address. */
type Tab = { to: string; label: ComponentChildren; isCurrent?: boolean }

type Props = {
  /** Title of the document. */
  title: string
  /** Heading, by default the title; null: the page has no head. */
  heading?: string | null
  /** State of the SLO that the page is about, which stands before the title of the document. */
  state?: string
  class?: string
  /** Pages above this one: their paths and names. */
  crumbs?: readonly (readonly [path: string, label: string])[]
  /** State beside the heading; null: there may be one later. */
  status?: ComponentChildren
  actions?: ComponentChildren
  /** Rest of the head. */
  head?: ComponentChildren
  views?: { label: string; tabs: readonly Tab[] }
  /** Resource whose error is shown above the content. */
  read?: Resource<unknown>
  /** Given if the page is a form: its element, and what sends it. */
  form?: { ref: RefObject<HTMLFormElement | null>; onSubmit: (event: Event) => void }
  headingRef?: RefObject<HTMLHeadingElement | null>
  children?: ComponentChildren
}

/** Page inside the shell, with its head and the title of the document. */
export function Page({ title, heading = title, state, crumbs, status, actions, head, views, read, ...rest }: Props) {
  useTitle(title, state)
  const { path } = useLocation()
  const { form, headingRef, children } = rest
  const Frame = (form ? 'form' : 'div') as 'form'
  const h1 = <h1 {...(headingRef && { ref: headingRef, tabIndex: -1 })}>{heading}</h1>
  return (
    <Frame class={rest.class === undefined ? 'page' : `page ${rest.class}`} noValidate={!!form} {...form}>
      {heading !== null && (
        <header class="page-head">
          {crumbs && (
            <nav class="crumbs" aria-label="Breadcrumb">
              {crumbs.map(([path, label]) => (
                <a key={path} href={link(path)}>
                  {label}
                </a>
              ))}
            </nav>
          )}
          {status === undefined ? (
            h1
          ) : (
            <div class="title">
              {h1}
              {status}
            </div>
          )}
          {actions && <div class="actions">{actions}</div>}
          {head}
        </header>
      )}
      {views && (
        <nav class="views" aria-label={views.label}>
          {views.tabs.map(({ to, label, isCurrent = to === path }) => (
            <a href={to} aria-current={isCurrent ? 'page' : undefined}>
              {label}
            </a>
          ))}
        </nav>
      )}
      {read?.error.value && <Failed error={read.error.value} onRetry={read.read} />}
      {children}
    </Frame>
  )
}

/** Tabs of the views of a section below a path. */
export function tabsOf(views: Record<string, string>, path: string): Tab[] {
  return Object.entries(views).map(([view, label]) => ({ to: link(view === '' ? path : `${path}/${view}`), label }))
}

/** Page in place of one that cannot be shown: one sentence, which is also the title of the document, and what to do about it. */
export function EmptyPage({ icon, title, children }: { icon: IconName; title: string; children: ComponentChildren }) {
  useTitle(title)
  return (
    <div class="empty">
      <Icon name={icon} size={24} />
      <h1>{title}</h1>
      {children}
    </div>
  )
}

/** Page for an address that no page has, or that names something that does not exist. */
export function NotFound() {
  return (
    <EmptyPage icon="circle-question-mark" title="There is no such page">
      <p>The address may be mistyped, or what it named may have been deleted.</p>
      <LinkButton icon="layout-dashboard" href={link('/')}>
        Overview
      </LinkButton>
    </EmptyPage>
  )
}

type ReadProps<T> = { of: Resource<T>; title: string; children: (value: T) => ComponentChildren }

/** Page about one resource. Until it is read there is a placeholder with the title, or its error; `NotFound` if it does not exist. */
export function ReadPage<T>({ of, title, children }: ReadProps<T>) {
  const error = of.error.value
  if (error?.status === 404) return <NotFound />
  if (of.value.value !== undefined) return <>{children(of.value.value)}</>
  return (
    <Page title={title} heading={null} read={of}>
      {!error && <Skeleton heightPx={160} />}
    </Page>
  )
}
