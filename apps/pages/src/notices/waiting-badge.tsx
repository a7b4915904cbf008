import { useAnswersWanted } from './notices.tsx'

/** How many decisions wait for a person; nothing if there is none. */
export default function WaitingBadge() {
  const count = useAnswersWanted()
  if (count === 0) return null
  return (
    <span className="navigation-badge">
      {count}
      <span className="visually-hidden"> {count === 1 ? 'decision waits' : 'decisions wait'}</span>
    </span>
  )
}
