import { Ellipsis } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components'
import { ConfirmDialog } from '../dialogs/confirm-dialog.tsx'
import { Button } from './button.tsx'
import '../fields/select-field.css' // the look of popovers
import './action-menu.css'

/** Question before an action. */
interface Confirmation {
  readonly title: string
  /** The effects of the action, and which of them cannot be undone. */
  readonly text: ReactNode
  /** The verb. @default the label of the action */
  readonly confirmLabel?: string
  /** The dialog stays open until this resolves, and shows why it failed. */
  readonly onConfirm: () => unknown
  /** Whether something is lost. @default true */
  readonly isDanger?: boolean
}

/** One line of an {@link ActionMenu}: it leads somewhere, does something, or asks first. */
export type MenuAction = {
  readonly label: string
  readonly icon?: ReactNode
} & (
  | { readonly href: string; readonly download?: boolean }
  | { readonly onAction: () => void }
  | { readonly confirm: Confirmation }
)

/** Props of {@link ActionMenu}. */
interface ActionMenuProps {
  /** @default 'More actions' */
  readonly label?: string
  /** A `false` entry is left out. */
  readonly actions: readonly (MenuAction | false | undefined)[]
}

/** The actions that are not needed every day, behind "…". Deletions are red only where they are confirmed. */
export function ActionMenu({ label = 'More actions', actions }: ActionMenuProps) {
  const [asked, setAsked] = useState<string>()
  const shown = actions.filter((action) => action !== false && action !== undefined)
  if (shown.length === 0) return null
  return (
    <>
      <MenuTrigger>
        <Button variant="quiet" aria-label={label} data-icon-only>
          <Ellipsis aria-hidden />
        </Button>
        <Popover className="popover" placement="bottom end">
          <Menu className="action-menu" aria-label={label}>
            {shown.map((action) => (
              <MenuItem
                key={action.label}
                className="action-menu-item"
                textValue={action.label}
                {...toItem(action, () => setAsked(action.label))}
              >
                {action.icon}
                {action.label}
              </MenuItem>
            ))}
          </Menu>
        </Popover>
      </MenuTrigger>
      {shown.map(
        (action) =>
          'confirm' in action && (
            <ConfirmDialog
              key={action.label}
              title={action.confirm.title}
              confirmLabel={action.confirm.confirmLabel ?? action.label}
              onConfirm={action.confirm.onConfirm}
              isDanger={action.confirm.isDanger ?? true}
              isOpen={asked === action.label}
              onOpenChange={(isOpen) => !isOpen && setAsked(undefined)}
            >
              {action.confirm.text}
            </ConfirmDialog>
          ),
      )}
    </>
  )
}

function toItem(action: MenuAction, ask: () => void) {
  if ('href' in action) return { href: action.href, ...(action.download === true && { download: true }) }
  return { onAction: 'confirm' in action ? ask : action.onAction }
}
