import type { ComponentChildren } from 'preact'
import type { Resource } from '../../../api/resource.ts'
import { whyNot } from '../../../api/rights.ts'
import { link } from '../../../address/base.ts'
import { Button, LinkButton } from '../../../ui/button.tsx'
import type { IconName } from '../../../ui/icon.tsx'
import { Empty, Read } from '../../../ui/read.tsx'

/** Time after which a list is read again. */
export const listEveryMs = 5000

type Props<T, One> = {
  of: Resource<T>
  items: (value: T) => One[]
  /** Sentence that describes the list. */
  about: ComponentChildren
  /** Buttons that open a form to add an item: their labels, and the paths of the forms. */
  addButtons: { label: string; path: string }[]
  empty: { icon: IconName; title: string; text: string }
  /** Draws one item of the list. */
  children?: (one: One) => ComponentChildren
  /** Draws all items, in place of `children`. */
  drawAll?: (items: One[]) => ComponentChildren
}

/** A list with its description and buttons to add items. */
export function List<T, One>({ of, items, about, addButtons, empty, children, drawAll }: Props<T, One>) {
  const buttons = addButtons.map(({ label, path }, at) => (
    <Add key={path} label={label} path={path} isFirst={at === 0} />
  ))
  return (
    <>
      <div class="collect-about">
        <p>{about}</p>
        <div class="collect-add">{buttons}</div>
      </div>
      <Read of={of} heightPx={120}>
        {(value) => {
          const rows = items(value)
          if (rows.length === 0) {
            return (
              <Empty icon={empty.icon} title={empty.title}>
                <p>{empty.text}</p>
              </Empty>
            )
          }
          return drawAll ? drawAll(rows) : <ul class="collected-list">{children && rows.map(children)}</ul>
        }}
      </Read>
    </>
  )
}

function Add({ label, path, isFirst }: { label: string; path: string; isFirst: boolean }) {
  const unavailable = whyNot('administer')
  if (unavailable !== undefined) return <Button unavailable={unavailable}>{label}</Button>
  return (
    <LinkButton kind={isFirst ? 'primary' : 'plain'} href={link(path)}>
      {label}
    </LinkButton>
  )
}
