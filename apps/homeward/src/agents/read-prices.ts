import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Prices } from '@homeward/agent-runtime'
import * as z from 'zod'

const usd = z.number().nonnegative()

/** By `provider/model-id`. */
const PriceFile = z.record(
  z.string().regex(/^[^/\s]+\/\S+$/, 'a model is named <provider>/<model id>'),
  z.strictObject({
    inputPerMillion: usd,
    outputPerMillion: usd,
    cachedInputPerMillion: usd.optional(),
    cacheWritePerMillion: usd.optional(),
  }),
)

/**
 * Reads the operator's own prices from `prices.json` in the data home: US dollars for a million tokens. Without the file, and for
 * models that are not in it, the prices of the catalog and those saved by `PUT /api/prices/{model}` count.
 *
 * @throws {Error} that says what is wrong with the file.
 */
export async function readPrices(home: string): Promise<Prices> {
  const path = join(home, 'prices.json')
  const attempt = `Starting the server failed: ${path} cannot be used`
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw new Error(`${attempt}: the file cannot be read. Check its permissions.`, { cause })
  }
  const parsed = PriceFile.safeParse(parseJson(text))
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.slice(0, 3).map((issue) => `${issue.path.join('.')}: ${issue.message}`)
  throw new Error(
    `${attempt}. Write {"<provider>/<model id>": {"inputPerMillion": 1, "outputPerMillion": 4}}.\n  ${problems.join('\n  ')}`,
  )
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
