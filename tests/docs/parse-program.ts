import { stripTypeScriptTypes } from 'node:module'
import { text } from 'node:stream/consumers'
import { SourceTextModule } from 'node:vm'

// Run by parse-blocks.ts: says of each module of a list what this Node cannot parse of it, or null.
const modules = JSON.parse(await text(process.stdin)) as string[]
process.stdout.write(JSON.stringify(modules.map(errorOf)))

function errorOf(code: string): string | null {
  try {
    void new SourceTextModule(stripTypeScriptTypes(code))
    return null
  } catch (error) {
    return String(error)
  }
}
