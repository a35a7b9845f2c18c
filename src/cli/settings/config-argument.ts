/** Takes `--config FILE` out of the arguments, wherever it is. `file`: `''` if the name is missing. */
export function takeConfigFile(argv: string[]): { file: string | undefined; args: string[] } {
  const at = argv.findIndex((arg) => arg === '--config' || arg.startsWith('--config='))
  const arg = argv[at]
  if (arg === undefined) return { file: undefined, args: argv }
  const isJoined = arg !== '--config'
  const file = isJoined ? arg.slice('--config='.length) : (argv[at + 1] ?? '')
  return { file, args: argv.toSpliced(at, isJoined ? 1 : 2) }
}
