import { boundMemory } from '../../src/cli/bound-memory.ts'

// Prints what it was started with, after the call with so much usable memory.
const [usableBytes] = process.argv.slice(2)
boundMemory(Number(usableBytes))
const { BUN_JSC_forceRAMSize: ramSize, MIMALLOC_PURGE_DELAY: purgeDelay } = process.env
process.stdout.write(JSON.stringify([process.pid, usableBytes, ramSize ?? null, purgeDelay ?? null]))
