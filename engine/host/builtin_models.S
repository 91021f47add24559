/* The networks of games/ as read-only data: the compiler that we build with has no #embed, and an array of a
   million numbers would take it minutes. */
        .macro model name, file
        .balign 64
        .globl embedded_senet_\name
        .hidden embedded_senet_\name
embedded_senet_\name:
        .incbin "\file"
        .globl embedded_senet_\name\()_end
        .hidden embedded_senet_\name\()_end
embedded_senet_\name\()_end:
        .endm

        .section .rodata.senet_models, "a", %progbits
        model connect_four, "games/connect_four/model.safetensors"
        model backgammon, "games/backgammon/model.safetensors"
        .section .note.GNU-stack, "", %progbits
