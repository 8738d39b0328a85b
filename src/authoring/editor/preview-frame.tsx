/** The document that the editor's script writes a page into (`src/client/editor/page-frame.tsx`). */
import { lookSheets } from "../../views/look-document.ts";
import { USUAL_LOOK } from "../../views/look-values.ts";

export function PreviewFrame() {
  return (
    <html lang="ar" dir="rtl">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>صلة</title>
        {lookSheets(USUAL_LOOK).map((href) => (
          <link rel="stylesheet" href={href} />
        ))}
      </head>
      <body />
    </html>
  );
}
