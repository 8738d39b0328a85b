/** Files of other services, made by hand in their formats. */

export const LINKSTACK = {
  links: [
    link({ id: 3, title: "المتجر", link: "https://shop.example/", button_id: 1, order: 2 }),
    link({ id: 4, title: "Instagram", link: "instagram.com/layan", button_id: 94, order: 3 }),
    link({ id: 5, title: "<b>أعمالي</b>", button_id: 42, type: "heading", order: 1 }),
    link({ id: 6, title: "10", button_id: 43, type: "spacer", order: 4 }),
    link({ id: 7, title: "راسلني", link: "layan@example.com", button_id: 6, order: 5 }),
    link({ id: 8, title: "اتصل", link: "+966 50 123 4567", button_id: 44, order: 6 }),
    link({ id: 9, title: "<p>مرحبًا &amp; أهلًا</p><p>بكم</p>", button_id: 93, order: 7 }),
    link({
      id: 10,
      title: "بطاقتي",
      button_id: 96,
      order: 8,
      link: JSON.stringify({
        first_name: "ليان",
        last_name: "أحمد",
        organization: "مرسم",
        cell_phone: "+966501234567",
        email: "layan@example.com",
        work_address_city: "الرياض",
        work_address_country: "السعودية",
      }),
    }),
    link({ id: 11, title: "سيئ", link: "javascript:alert(1)", button_id: 1, order: 9 }),
    link({ id: 12, title: "مثبت", link: "https://pinned.example", order: 10, up_link: "yes" }),
  ],
  user: { name: "ليان", littlelink_name: "Layan", littlelink_description: "<p>رسّامة</p>" },
};

function link(fields: Record<string, unknown>) {
  return {
    user_id: 2,
    click_number: 7,
    up_link: "no",
    custom_css: "",
    custom_icon: "fa-external-link",
    type: "link",
    type_params: null,
    created_at: "2025-01-01T00:00:00.000000Z",
    link: null,
    ...fields,
  };
}

export const LINKTREE = {
  props: {
    pageProps: {
      account: {
        username: "layan.art",
        pageTitle: "@layan.art",
        description: "رسّامة من الرياض",
        profilePictureUrl: "https://pictures.example/layan.png",
        socialLinks: [
          { type: "INSTAGRAM", url: "https://instagram.com/layan" },
          { type: "EMAIL_ADDRESS", url: "mailto:layan@example.com" },
          { type: "X", url: "" },
        ],
      },
      links: [
        { id: 1, type: "CLASSIC", title: "المتجر", url: "https://shop.example/?a=1&b=2" },
        { id: 2, type: "HEADER", title: "أعمالي", url: null },
        {
          id: 3,
          type: "GROUP",
          title: "معارض",
          links: [
            {
              type: "CLASSIC",
              title: "جدة </p>",
              url: "https://jeddah.example/",
              thumbnail: "https://pictures.example/jeddah.png",
            },
          ],
        },
        { id: 4, type: "COMMERCE_STORE", title: "دفع" },
        { id: 5, type: "CLASSIC", title: "سيئ", url: "data:text/html,x" },
        7,
      ],
    },
  },
};

export function savedPage(data: unknown, scripts = ""): string {
  const json = typeof data === "string" ? data : JSON.stringify(data).replaceAll("</", "<\\/");
  return `<!DOCTYPE html><html><head><title>layan | Linktree</title>
    <!-- <script id="__NEXT_DATA__">{"no":1}</script> -->
    <script>var a = "__NEXT_DATA__";</script></head><body><main>links</main>
    ${scripts}<script id="__NEXT_DATA__" type="application/json" crossorigin="anonymous">${json}</script>
    </body></html>`;
}
