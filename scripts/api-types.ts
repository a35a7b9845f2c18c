import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { readDocument } from '../test/contract/document.ts'
import { typesOf } from './api-types/types-of.ts'
import { root } from './install.mjs'

// Generates the types of the API, which the page imports, from the OpenAPI document of this source code.
const { document } = await readDocument()
mkdirSync(join(root, 'dist'), { recursive: true })
await Bun.write(join(root, 'dist', 'openapi.d.ts'), typesOf(document))
