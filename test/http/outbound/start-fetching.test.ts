import { expect, test } from 'bun:test'
import { join } from 'node:path'

test.skipIf(process.platform === 'win32')(
  'a fetch without a file descriptor left fails, and the process lives',
  async () => {
    const script = `
    import { openSync } from 'node:fs'
    import { startFetching } from ${JSON.stringify(join(import.meta.dir, '..', '..', '..', 'src', 'http', 'outbound', 'outbound.ts'))}
    await startFetching()
    try { for (;;) openSync('/dev/null', 'r') } catch {}
    await fetch('http://127.0.0.1:9/').catch(({ code }) => process.stdout.write('failed: ' + code))`
    const child = Bun.spawn(['sh', '-c', 'ulimit -n 256; exec "$@"', 'limited', process.execPath, '-e', script])
    expect(await new Response(child.stdout).text()).toBe('failed: EMFILE')
    expect(await child.exited).toBe(0)
  },
)
