import type { Connection } from '../sqlite.ts'

/**
 * Makes a connection, and each statement that it prepares from now on, throw translated errors instead of SQLite's. `onUse` is
 * called after each use of either.
 */
export function translateErrors(
  connection: Connection,
  translate: (error: unknown) => unknown,
  onUse: () => void = () => {},
): Connection {
  const translating =
    <Args extends unknown[], T>(work: (...args: Args) => T) =>
    (...args: Args): T => {
      try {
        return work(...args)
      } catch (error) {
        throw translate(error)
      } finally {
        onUse()
      }
    }
  const prepare = translating(connection.prepare.bind(connection))
  const transaction = connection.transaction.bind(connection)
  replaceMethods(connection, {
    exec: translating(connection.exec.bind(connection)),
    pragma: translating(connection.pragma.bind(connection)),
    transaction: (work: Parameters<typeof transaction>[0]) => translating(transaction(work)),
    prepare(sql: string) {
      const statement = prepare(sql)
      const iterate = statement.iterate.bind(statement)
      return replaceMethods(statement, {
        get: translating(statement.get.bind(statement)),
        all: translating(statement.all.bind(statement)),
        run: translating(statement.run.bind(statement)),
        *iterate(...args: Parameters<typeof iterate>) {
          try {
            yield* iterate(...args)
          } catch (error) {
            throw translate(error)
          } finally {
            onUse()
          }
        },
      })
    },
  })
  return connection
}

/** Replaces methods of an object of the native addon, to which nothing can be assigned. */
export function replaceMethods<T extends object>(object: T, methods: Record<string, unknown>): T {
  for (const [name, value] of Object.entries(methods))
    Object.defineProperty(object, name, { value, configurable: true })
  return object
}
