import type { Run } from '@homeward/contract/agent-platform'
import { Link } from 'react-aria-components'
import { toPriceForm } from '../usage/to-price-form.ts'
import { costText, unpricedModel } from './run-texts.ts'

/** What a run has cost; where its model has no price, the way to give it one. */
export function RunCost({ run }: { readonly run: Run }) {
  const text = costText(run)
  const model = unpricedModel(run)
  if (text !== undefined) return <span className="numeric">{text}</span>
  return model === undefined ? <span>–</span> : <Link href={toPriceForm(model)}>No price</Link>
}
