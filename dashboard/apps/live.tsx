/** The mark of settings that take effect without a deploy. */

export const live = <span className="rounded bg-pending-tint px-1.5 py-0.5 text-xs text-pending">applies at once</span>
