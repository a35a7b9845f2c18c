import { useLocation } from 'preact-iso/router'
import { useMemo } from 'preact/hooks'

/** Field of an address: reads and writes the values of one parameter. For its default it writes no value. */
export type Field<T> = {
  read(values: string[]): T
  write(value: T): string[]
  /** Name of the parameter, if it is not that of the field. */
  parameter?: string
}

export type Schema = Record<string, Field<unknown>>
export type Fields<S extends Schema> = { [Name in keyof S]: ReturnType<S[Name]['read']> }

/** Fields from the query of an address. A value that is missing or not known counts as the default. */
export function readFields<S extends Schema>(schema: S, query: string): Fields<S> {
  const values = new URLSearchParams(query)
  const read = ([name, { parameter = name, read }]: [string, Field<unknown>]) => [name, read(values.getAll(parameter))]
  return Object.fromEntries(Object.entries(schema).map(read))
}

/** Address with changed fields; all other parameters stay. */
export function withFields<S extends Schema>(schema: S, url: string, changes: Partial<Fields<S>>): string {
  const [path = '', query = ''] = url.split('?')
  const values = new URLSearchParams(query)
  for (const [name, value] of Object.entries(changes)) {
    const { parameter = name, write } = schema[name] ?? text
    const [first, ...more] = write(value)
    if (first === undefined) values.delete(parameter)
    else values.set(parameter, first)
    for (const value of more) values.append(parameter, value)
  }
  return values.size > 0 ? `${path}?${values}` : path
}

/**
 * Fields of the present address; the caller is drawn again when it changes. `to` gives the address with some of them changed; `go` opens
 * it, as a new entry of the history unless `replace` is set. The schema must be a constant.
 */
export function useAddress<S extends Schema>(schema: S) {
  const { url, route } = useLocation()
  return useMemo(() => {
    const to = (changes: Partial<Fields<S>>) => withFields(schema, url, changes)
    return {
      fields: readFields(schema, url.split('?')[1] ?? ''),
      to,
      go(changes: Partial<Fields<S>>, { replace = false } = {}) {
        if (to(changes) !== url) route(to(changes), replace)
      },
    }
  }, [url])
}

/** Field of one value; `parse` gives undefined for an invalid text. */
export function field<T>(parse: (value: string) => T | undefined, byDefault: T): Field<T> {
  return {
    read: ([value = '']) => parse(value) ?? byDefault,
    write: (value) => (value === byDefault ? [] : [String(value)]),
  }
}

/** Field of a text; empty by default. */
export const text = field((value) => value, '')
/** Field of any number of texts, one parameter each. */
export const texts: Field<readonly string[]> = { read: (values) => values, write: (values) => [...values] }
/** Field that is true if the parameter is there. */
export const flag: Field<boolean> = { read: ({ length }) => length > 0, write: (isSet) => (isSet ? ['1'] : []) }
/** Id as a text; empty: none. */
export const id = field((value) => /^[1-9]\d{0,14}$/.exec(value)?.[0], '')
/** Number of a page of a list, from 1. */
export const page = field((value) => (/^[1-9]\d{0,14}$/.test(value) ? Number(value) : undefined), 1)

/** Field of one of the known values. */
export function oneOf<T extends string, D extends T | '' | undefined>(known: readonly T[], byDefault: D): Field<T | D> {
  return field<T | D>((value) => known.find((one) => one === value), byDefault)
}
