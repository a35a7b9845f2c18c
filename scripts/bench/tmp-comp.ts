import { benchComposites } from '/tmp/w/composites/scripts/bench/evaluate/evaluate.ts'
import { startScaleBed } from '/tmp/w/composites/scripts/bench/support/scale-bed.ts'
const bed = await startScaleBed()
try {
  console.log(await benchComposites(bed))
} finally {
  await bed.stop()
}
