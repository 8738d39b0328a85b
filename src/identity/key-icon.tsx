/** Not in `src/views/icons.tsx`, which the counting Worker loads too. */
export function KeyIcon() {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d="M8.75 15.25a5.75 5.75 0 1 1 5.47-4l6.28 6.28v3h-3.5v-2.5h-2.5v-2.5H12l-.83-.83a5.7 5.7 0 0 1-2.42.55ZM7.9 7.9v.02" />
    </svg>
  );
}
