import { Price, PricedModel } from '@homeward/contract/agent-platform'
import * as z from 'zod/mini'
import type { Logger } from '../ports/logger.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { ConfigContent, ConfigFile } from './config-file.ts'

/** The operator's own prices, by model. */
type PriceOverrides = Readonly<Record<string, Price>>

/** Key of the operator's own prices in config.json. */
export const modelPricesKey = 'model_prices'
const maxPrices = 1000

/** The operator's own prices in config.json. */
export interface PriceSettings {
  /** Reads them, by model. Sees a file that was edited by hand. */
  read(): PriceOverrides
  /** The same without another look at the file: for each model call. */
  lastRead(): PriceOverrides
  /** @throws {RuntimeError} `validation_error` if there would be more than 1,000. */
  save(model: string, price: Price): Promise<void>
  /** @returns false if the model has none. */
  remove(model: string): Promise<boolean>
}

/** Opens the prices of a config.json. An entry that cannot be used is logged once and left out. */
export function createPriceSettings(config: ConfigFile, logger: Logger): PriceSettings {
  const reported = new Set<string>()
  let known: { readonly content: ConfigContent; readonly prices: PriceOverrides } | undefined

  function report(model: string): void {
    if (reported.has(model) || reported.size >= maxPrices) return
    reported.add(model)
    logger.warn(
      `Reading the price of "${model.slice(0, 100)}" in config.json failed: the entry is not a price. Correct or delete the entry.`,
    )
  }

  function pricesIn(content: ConfigContent): PriceOverrides {
    if (known?.content !== content) known = { content, prices: toPrices(content, report) }
    return known.prices
  }

  return {
    read: () => pricesIn(config.read()),
    lastRead: () => pricesIn(config.lastRead()),
    async save(model, price) {
      await config.change((content) => {
        const entries = entriesOf(content)
        if (!Object.hasOwn(entries, model) && Object.keys(entries).length >= maxPrices) {
          throw new RuntimeError(
            'validation_error',
            `Saving the price failed: the limit of ${maxPrices} prices is reached. Delete a price that you no longer need.`,
          )
        }
        return { ...content, [modelPricesKey]: { ...entries, [model]: price } }
      })
    },
    async remove(model) {
      if (!Object.hasOwn(entriesOf(config.read()), model)) return false
      await config.change((content) => {
        const { [model]: _, ...entries } = entriesOf(content)
        return { ...content, [modelPricesKey]: entries }
      })
      return true
    },
  }
}

type Fields = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** @throws {RuntimeError} `storage_error` if a change would overwrite content of another form. */
function entriesOf(content: ConfigContent): Fields {
  const entries = content[modelPricesKey] ?? {}
  if (isObject(entries)) return entries
  throw new RuntimeError(
    'storage_error',
    `Reading config.json failed: "${modelPricesKey}" must be an object. Correct or remove it.`,
  )
}

function toPrices(content: ConfigContent, report: (model: string) => void): PriceOverrides {
  const entries = content[modelPricesKey] ?? {}
  if (!isObject(entries)) {
    report(modelPricesKey)
    return {}
  }
  return Object.fromEntries(
    Object.entries(entries).flatMap(([model, entry]) => {
      const price = z.safeParse(Price, entry)
      if (price.success && z.safeParse(PricedModel, model).success) return [[model, price.data]]
      report(model)
      return []
    }),
  )
}
