import type { Json, Run } from '@homeward/contract/agent-platform'
import { Copy, FlaskConical, Undo2 } from 'lucide-react'
import { usePlatformMutation } from '../api/platform.ts'
import { useIsLimited } from '../api/server-facts.ts'
import { ActionMenu } from '../components/buttons/action-menu.tsx'
import { copyText } from '../components/buttons/copy-button.tsx'
import { showToast } from '../components/states/toasts.tsx'
import { hasEnded } from './run-texts.ts'
import { effectsOf } from './undo-card.tsx'

/** Actions on a run that are not needed every day. */
export function RunMenu({ run }: { readonly run: Run }) {
  const { id, agent_id: agentId } = run
  const isLimited = useIsLimited()
  const undo = usePlatformMutation('undoRun', {
    invalidates: ['getRunUndo', 'getRun'],
    onSuccess: () => showToast({ title: 'Undo started', text: 'This page shows how far it is.' }),
  })
  const effects = effectsOf(run)
  return (
    <ActionMenu
      actions={[
        {
          label: 'Copy the id',
          icon: <Copy aria-hidden />,
          onAction: () => void copyText(id).then((isCopied) => isCopied && showToast({ title: 'Id copied' })),
        },
        agentId !== undefined &&
          hasEnded(run) &&
          !isLimited && {
            label: 'Try with another agent setting',
            icon: <FlaskConical aria-hidden />,
            href: `/agents/${agentId}/what-if?runs=${encodeURIComponent(id)}`,
          },
        effects.length > 0 && {
          label: 'Undo the run',
          icon: <Undo2 aria-hidden />,
          confirm: {
            title: 'Undo what this run did?',
            confirmLabel: 'Undo the run',
            text: (
              <>
                <p>These calls are taken back, the newest first. Calls without an undo stay as they are.</p>
                <ul className="undo-effects">
                  {effects.toReversed().map(({ tool, args }, index) => (
                    <li key={index} className="foreign">
                      <strong>{tool}</strong> {describeArguments(args)}
                    </li>
                  ))}
                </ul>
              </>
            ),
            onConfirm: async () => undo.mutateAsync({ params: { id } }),
          },
        },
      ]}
    />
  )
}

const longest = 120

/** `{"item": "tea", "count": 2}` → "item: tea, count: 2". */
function describeArguments(args: Json): string {
  if (typeof args !== 'object' || args === null) return ''
  const text = Object.entries(args)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')
  return text.length > longest ? `${text.slice(0, longest)} …` : text
}
