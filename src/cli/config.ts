import { describeConfig, readConfig } from '../config.ts'

/** Prints the effective settings as `NAME=value`, one a line. */
export function config(): number {
  const settings = describeConfig(readConfig(process.env, { isTerminal: process.stderr.isTTY }))
  for (const { name, value } of settings) process.stdout.write(`${name}=${value}\n`)
  return 0
}
