import { LoaderCircle } from 'lucide-react'
import './state.css'

/** Says that something is on its way. */
export function LoadingState({ label = 'Loading …' }: { readonly label?: string }) {
  return (
    <div className="state" role="status">
      <LoaderCircle className="spinner" aria-hidden />
      <p>{label}</p>
    </div>
  )
}
