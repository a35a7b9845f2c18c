import type { ComponentChildren } from 'preact'
import type { Resource } from '../api/resource.ts'
import { NotFound } from './not-found.tsx'
import { Page } from './page.tsx'
import { Skeleton } from './read.tsx'

type Props<T> = { of: Resource<T>; title: string; children: (value: T) => ComponentChildren }

/** Page about one resource. Until it is read there is a placeholder with the title, or its error; `NotFound` if it does not exist. */
export function ReadPage<T>({ of, title, children }: Props<T>) {
  const error = of.error.value
  if (error?.status === 404) return <NotFound />
  if (of.value.value !== undefined) return <>{children(of.value.value)}</>
  return (
    <Page title={title} heading={null} read={of}>
      {!error && <Skeleton heightPx={160} />}
    </Page>
  )
}
