/** Runs a command to its end and returns what it wrote to stdout; throws what it wrote if it fails. */
export function runCommand(command: string, ...args: string[]): string {
  const { stdout, stderr, exitCode } = Bun.spawnSync([command, ...args])
  if (exitCode !== 0) throw new Error(`${command}: ${stderr.toString()}${stdout.toString()}`)
  return stdout.toString()
}
