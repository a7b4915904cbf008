import type { ReactNode } from 'react'
import './facts.css'

/** What {@link Facts} take. */
interface FactsProps {
  /** Name → value; what is undefined or null is left out. */
  readonly facts: readonly (readonly [name: string, value: ReactNode])[]
}

/** What is known about something, by name. */
export function Facts({ facts }: FactsProps) {
  const known = facts.filter(([, value]) => value !== undefined && value !== null)
  return (
    <dl className="facts">
      {known.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd className="foreign">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
