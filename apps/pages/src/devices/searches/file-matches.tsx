import type { FoundFile } from '@homeward/contract/device-cloud'
import { Card } from '../../components/layout/card.tsx'
import { CodeBlock } from '../../components/text/code-block.tsx'

/** More files than this make a page that nobody reads. */
const maxFiles = 100

/** Lines of files that hold the search text; nothing if no file has any. */
export function FileMatches({ files }: { readonly files: readonly FoundFile[] }) {
  const matched = files.flatMap(({ path, matches = [] }) => (matches.length > 0 ? [{ path, matches }] : []))
  if (matched.length === 0) return null
  const title = matched.length > maxFiles ? `Matching lines of the first ${maxFiles} files` : 'Matching lines'
  return (
    <Card title={title}>
      {matched.slice(0, maxFiles).map(({ path, matches }, index) => (
        // A device may name a file twice.
        <div key={`${index} ${path}`} className="stack">
          <span className="mono foreign">{path}</span>
          <CodeBlock
            code={matches.map(({ line, text }) => `${line}: ${text}`).join('\n')}
            label={`matching lines of ${path}`}
            canCopy={false}
            isWrapped
          />
        </div>
      ))}
    </Card>
  )
}
