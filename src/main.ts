// Else Elysia writes the whole of a wrong value into its error, several times and indented. It looks once, when it is loaded,
// which is why the rest is loaded afterwards. In brackets: the bundler puts a text in place of the plain name.
process.env['NODE_ENV'] = 'production'
const { run } = await import('./cli/run.ts')

process.exitCode = await run(process.argv.slice(2))
